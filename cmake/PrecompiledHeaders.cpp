// SPDX-License-Identifier: Apache-2.0
//
// Empty: what cmake/PrecompiledHeaders.cmake attaches precompiled headers to.
