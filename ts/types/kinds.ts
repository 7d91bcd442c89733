import type { PrimitiveType, Type } from './types.js'

/** Whether values may be NaN. */
export function isFloat(type: Type): boolean {
  return type.kind === 'float' || type.kind === 'double'
}

/** Whether the values are single ones with an order, so that filters may compare them. */
export function isComparable(type: Type): type is PrimitiveType {
  switch (type.kind) {
    case 'struct':
    case 'list':
    case 'map':
    case 'variant':
    case 'geometry':
    case 'geography':
    case 'unknown':
      return false
    default:
      return true
  }
}
