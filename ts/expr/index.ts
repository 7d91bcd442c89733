export {
  type BindOptions,
  bind,
} from './bind.js'
export { and, Column, col, Filter, type LiteralValue, not, or, transform } from './dsl.js'
export { inclusiveMetrics } from './evaluate-inclusive.js'
export { manifestEvaluator } from './evaluate-manifest.js'
export { partitionEvaluator } from './evaluate-partition.js'
export { strictMetrics } from './evaluate-strict.js'
export { toExec } from './exec.js'
export { referencedFieldIds } from './fold.js'
export type * from './node.js'
export { type FilterInput, parseFilter } from './parse.js'
export { printFilter } from './print.js'
export { projectInclusive, projectStrict, type SourceTypes } from './project.js'
export { residuals } from './residual.js'
export { toRest } from './rest.js'
export { applyTransform } from './transforms/index.js'
