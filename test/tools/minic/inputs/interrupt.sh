# SPDX-License-Identifier: Apache-2.0
#
# Starts a command, sends it SIGINT, or SIG$SIGNAL, once it has had time to start measuring, and
# prints its exit status. A shell starts background jobs with SIGINT ignored,
# which a program that installs a handler overrides.
"$@" &
sleep 1
kill -"${SIGNAL:-INT}" $!
wait $!
echo "status $?"
