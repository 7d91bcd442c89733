import { LakefoldError } from '../base/errors.js'

/** Plain path of a local location: `file:/x`, `file:///x`, `file://localhost/x` and `/x` are one file. Percent signs are literal. */
function plainPath(location: string): string {
  const match = /^file:(?:\/\/(?:localhost)?(?=\/))?(?=\/)/i.exec(location)
  return match === null ? location : location.slice(match[0].length)
}

/**
 * A function that maps a location by the longest prefix of `rules` that ends where a part of its path ends.
 * Local spellings are equal (see {@link plainPath}); a location without a rule is returned as its plain path or URL.
 *
 * @throws LakefoldError INVALID_ARGUMENT if the rules are not texts by text
 */
export function locationRewriter(rules: Readonly<Record<string, string>>): (location: string) => string {
  const sorted = Object.entries(checked(rules))
    .map(([from, to]) => [trimEnd(plainPath(from)), trimEnd(plainPath(to))] as const)
    .sort(([a], [b]) => b.length - a.length)
  return (location) => {
    const path = plainPath(location)
    for (const [from, to] of sorted) {
      if (path === from) return to === '' ? '/' : to
      if (path.startsWith(`${from}/`)) return to + path.slice(from.length)
    }
    return path
  }
}

/** Callers without types may hand in anything. */
function checked(rules: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const isRecord = typeof rules === 'object' && rules !== null && !Array.isArray(rules)
  if (!isRecord || Object.values(rules).some((to) => typeof to !== 'string')) {
    throw new LakefoldError('INVALID_ARGUMENT', 'rewriteLocations must map prefixes of locations to locations', {
      context: { field: 'rewriteLocations', value: rules },
    })
  }
  return rules
}

/** Without the slashes at its end; `/` alone becomes empty, so that it is a prefix of every absolute path. */
function trimEnd(path: string): string {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end--
  return path.slice(0, end)
}
