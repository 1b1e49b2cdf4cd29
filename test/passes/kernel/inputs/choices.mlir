{
  linear_relu = #kernel.choice<parts = [
    #kernel.part<ops = [0, 1],
      impl = #kernel.impl<family = "packed", schedule = {mr = 8 : i64}>,
      operands = [unit,
        #kernel.layout<order = [0, 1], blocks = [[0, 32]], padded = [32, 8]>]>]>,
  linear_add = #kernel.choice<parts = [
    #kernel.part<ops = [1], impl = #kernel.impl<family = "pointwise", schedule = {}>,
      operands = [unit, unit]>,
    #kernel.part<ops = [0], impl = #kernel.impl<family = "library", schedule = {}>,
      operands = [unit, unit]>]>
}
