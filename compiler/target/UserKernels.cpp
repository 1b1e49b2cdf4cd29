// SPDX-License-Identifier: Apache-2.0
//
// Schedules, hashes and memory of users' kernels.

#include "compiler/target/UserKernels.h"

#include "compiler/target/OfferFusion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace minic {

using graph::KernelConfig;
using kernel::FusionOp;

/// Notes what else the body has; false where that is no epilogue of the kernel.
static bool takeEpilogue(FusionOp fusion, UserKernel &kernel) {
  graph::KernelOp op = kernel.op;
  SmallVector<Operation *> body = fusion.getBodyOps();
  auto yielded = fusion.getYield().getValues();
  if (!op.getEpilogue() || yielded.size() != 1 ||
      yielded[0] == op.getResult(0) ||
      yielded[0].getType() != op.getResult(0).getType() ||
      !llvm::all_of(op.getInputs(), llvm::IsaPred<BlockArgument>)) {
    return false;
  }
  llvm::SmallSetVector<unsigned, 4> inputs;
  for (Operation *each : body) {
    if (each == op) {
      continue;
    }
    if (!isa<graph::PointwiseOpInterface>(each)) {
      return false;
    }
    kernel.epilogue.push_back(each);
    for (Value operand : each->getOperands()) {
      if (auto argument = dyn_cast<BlockArgument>(operand)) {
        inputs.insert(argument.getArgNumber());
      }
    }
  }
  kernel.epilogueInputs.assign(inputs.begin(), inputs.end());
  return true;
}

std::optional<UserKernel> UserKernel::get(FusionOp fusion) {
  SmallVector<Operation *> body = fusion.getBodyOps();
  graph::KernelOp op = graph::findKernel(body);
  if (!op || !op.isLinked() || !op.getSources()) {
    return std::nullopt;
  }
  UserKernel kernel{op, graph::SizedKernel(op), {}, {}};
  bool fits = body.size() == 1 || takeEpilogue(fusion, kernel);
  return fits ? std::optional(std::move(kernel)) : std::nullopt;
}

unsigned UserKernel::parameterOfInput(unsigned input) const {
  return cast<BlockArgument>(op.getInputs()[input]).getArgNumber();
}

unsigned UserKernel::parameterOfResult(unsigned result) const {
  auto fusion = cast<FusionOp>(op->getParentOp());
  unsigned inputs = fusion.getInputs().size();
  if (!epilogue.empty()) {
    return inputs;
  }
  for (auto [i, value] : llvm::enumerate(fusion.getYield().getValues())) {
    if (value == op.getResult(result)) {
      return inputs + i;
    }
  }
  SmallVector<unsigned> unread = unreadResults();
  return inputs + fusion.getNumResults() +
         (llvm::find(unread, result) - unread.begin());
}

SmallVector<unsigned> UserKernel::unreadResults() const {
  SmallVector<unsigned> unread;
  for (OpResult result : op->getResults()) {
    if (result.use_empty()) {
      unread.push_back(result.getResultNumber());
    }
  }
  return unread;
}

std::optional<std::string>
tryKernel(FusionOp fusion, const UserKernel &kernel,
          llvm::function_ref<std::optional<std::string>(const UserKernel &)>
              compile) {
  auto why = compile(kernel);
  if (why || !kernel.op.getEpilogue() || !kernel.epilogue.empty()) {
    return why;
  }
  OpBuilder b(fusion.getContext());
  OwningOpRef<FusionOp> followed = cast<FusionOp>(fusion->clone());
  Block &body = followed->getBody().front();
  Value result = followed->getYield().getValues()[0];
  b.setInsertionPoint(body.getTerminator());
  Value other = body.addArgument(result.getType(), fusion.getLoc());
  Value sum =
      graph::AddOp::create(b, fusion.getLoc(), result.getType(), result, other);
  followed->getInputsMutable().append(fusion.getResult(0));
  body.getTerminator()->setOperand(0, sum);
  if (std::optional<UserKernel> whole = UserKernel::get(*followed)) {
    why = compile(*whole);
  }
  // Its operands belong to the model.
  followed->getOperation()->dropAllReferences();
  if (why) {
    *why += " (where an operation follows: '" + kernel.op.getEpilogue()->str() +
            "' may stand wherever the entry's parameters are known)";
  }
  return why;
}

std::string describePointers(const UserKernel &kernel) {
  std::string text = "its operands, then its results";
  if (!kernel.epilogueInputs.empty()) {
    text += ", then what its epilogue reads, as " +
            kernel.op.getEpilogue()->str() + "_operands declares it";
  }
  return text;
}

std::string hashOfUserKernel(graph::KernelOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (NamedAttribute attribute : op->getAttrs()) {
    // Names are for people, and `prefer` changes no code.
    if (attribute.getName() != op.getPreferAttrName() &&
        attribute.getName() != op.getFilesAttrName()) {
      os << attribute.getName().getValue() << '=' << attribute.getValue()
         << '\n';
    }
  }
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true, 16);
}

/// "@scale TILE=64".
static std::string describe(const UserKernel &kernel,
                            const KernelConfig &config) {
  std::string text = config.text();
  text = kernel.op.getShownName() + (text.empty() ? "" : " " + text);
  return kernel.epilogue.empty() ? text : text + " epilogue";
}

std::vector<Implementation>
offerConfigs(FusionOp fusion, const UserKernel &kernel, double estimateUs) {
  Builder b(fusion.getContext());
  std::string why, hash = hashOfUserKernel(kernel.op);
  std::vector<Implementation> offers;
  for (const KernelConfig &config : kernel.sized.configs(why)) {
    if (!kernel.sized.geometry(config, why)) {
      continue;
    }
    SmallVector<NamedAttribute> parameters;
    for (const auto &[name, value] : config.parameters.entries()) {
      parameters.push_back(b.getNamedAttr(name, b.getI64IntegerAttr(value)));
    }
    auto schedule = b.getDictionaryAttr(
        {b.getNamedAttr("config", b.getDictionaryAttr(parameters)),
         b.getNamedAttr("source", b.getStringAttr(hash))});
    // Those of one estimate are tried in the user's order.
    offers.push_back(
        offerDense(fusion, userFamily, schedule, describe(kernel, config),
                   estimateUs * (1 + 1e-9 * double(offers.size()))));
  }
  return offers;
}

/// The configuration that the impl of `fusion` names.
static FailureOr<KernelConfig> parseSchedule(FusionOp fusion,
                                             const UserKernel &kernel) {
  DictionaryAttr schedule = fusion.getImplAttr().getSchedule();
  auto parameters =
      schedule ? schedule.getAs<DictionaryAttr>("config") : DictionaryAttr();
  auto source = schedule ? schedule.getAs<StringAttr>("source") : StringAttr();
  if (!parameters || !source || schedule.size() != 2) {
    return fusion.emitError("user expects a schedule {config = {...}, source = "
                            "\"...\"}, got ")
           << schedule;
  }
  if (std::string hash = hashOfUserKernel(kernel.op); source != hash) {
    return fusion.emitError("the choice is of another source of kernel ")
           << kernel.op.getShownName() << ": " << source << ", this is "
           << hash;
  }
  if (auto config = kernel.sized.findConfig(parameters)) {
    return *std::move(config);
  }
  return fusion.emitError("kernel ")
         << kernel.op.getShownName() << " has no configuration " << parameters;
}

FailureOr<ConfiguredKernel> ConfiguredKernel::get(FusionOp fusion) {
  std::optional<UserKernel> kernel = UserKernel::get(fusion);
  if (!kernel) {
    return fusion.emitError("user expects a kernel of the user alone");
  }
  FailureOr<KernelConfig> config = parseSchedule(fusion, *kernel);
  if (failed(config)) {
    return failure();
  }
  std::string why;
  auto geometry = kernel->sized.geometry(*config, why);
  if (!geometry) {
    return fusion.emitError("kernel ")
           << kernel->op.getShownName() << ": " << why;
  }
  return ConfiguredKernel{std::move(*kernel), std::move(*config),
                          std::move(*geometry)};
}

std::string ConfiguredKernel::label() const {
  return "user " + describe(kernel, config);
}

SmallVector<std::string> textsOf(ArrayAttr list) {
  SmallVector<std::string> texts;
  if (list) {
    for (Attribute text : list) {
      texts.push_back(cast<StringAttr>(text).getValue().str());
    }
  }
  return texts;
}

SmallVector<Value> addContents(FusionOp fusion, const UserKernel &kernel,
                               plan::PlanBuilder &plan) {
  OpBuilder &b = plan.builder();
  graph::KernelOp op = kernel.op;
  SmallVector<Value> unread;
  for (unsigned result : kernel.unreadResults()) {
    auto type = cast<RankedTensorType>(op.getResult(result).getType());
    unread.push_back(plan.buffer(kernel::getBytes(type)));
  }
  unsigned firstResult = fusion.getInputs().size();
  auto addressOf = [&](unsigned result) {
    unsigned place = kernel.parameterOfResult(result) - firstResult;
    return place < fusion.getNumResults()
               ? plan.addressOf(fusion.getResult(place))
               : unread[place - fusion.getNumResults()];
  };
  for (unsigned i = 0; i != op.getNumResults(); ++i) {
    auto type = cast<RankedTensorType>(op.getResult(i).getType());
    int64_t bytes = kernel::getBytes(type);
    if (op.getUpdates() && (*op.getUpdates())[i] >= 0) {
      Value from = fusion.getInputs()[kernel.parameterOfInput(
          unsigned((*op.getUpdates())[i]))];
      plan::CopyOp::create(
          b, fusion.getLoc(), addressOf(i), plan.addressOf(from), bytes,
          b.getStringAttr("copy of what is updated"), DenseI32ArrayAttr());
    } else if (op.getInitial() && !isa<UnitAttr>((*op.getInitial())[i])) {
      auto number = dyn_cast<IntegerAttr>((*op.getInitial())[i]);
      bool isOnes = number && number.getValue().isAllOnes();
      plan::FillOp::create(b, fusion.getLoc(), addressOf(i), isOnes ? 255 : 0,
                           bytes, b.getStringAttr("initial contents"),
                           DenseI32ArrayAttr());
    }
  }
  return unread;
}

SmallVector<std::pair<std::string, int64_t>>
getDefinitions(const UserKernel &kernel, const KernelConfig &config) {
  SmallVector<std::pair<std::string, int64_t>> macros(
      config.parameters.entries());
  llvm::append_range(macros, config.derived.entries());
  llvm::append_range(macros, kernel.sized.key().entries());
  return macros;
}

std::string getSourceName(graph::KernelOp op, size_t number,
                          StringRef extension) {
  if (auto files = op.getFiles()) {
    return cast<StringAttr>((*files)[files->size() == 1 ? 0 : number])
        .getValue()
        .str();
  }
  return (op.getTitle() + extension).str();
}

} // namespace minic
