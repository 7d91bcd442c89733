import type { ManifestFile } from '../manifest/types.js'

/**
 * Data manifests in the order in which Iceberg Java plans them: that of a `java.util.HashSet` of manifests, which
 * hash by path. Task groups depend on the order of files, so that only this order gives the groups that Java gives.
 */
export function inHashOrder(manifests: readonly ManifestFile[]): ManifestFile[] {
  const buckets = tableSize(manifests.length)
  return manifests
    .map((manifest, position) => ({ manifest, position, bucket: bucketOf(manifest.path, buckets) }))
    .sort((a, b) => a.bucket - b.bucket || a.position - b.position)
    .map(({ manifest }) => manifest)
}

/** The least power of two that holds so many elements at a load factor of 3/4, as `HashSet(Collection)` sizes it. */
function tableSize(elements: number): number {
  let size = 16
  while (size < Math.floor(elements / 0.75) + 1) size *= 2
  return size
}

function bucketOf(path: string, buckets: number): number {
  let hash = 0
  for (let i = 0; i < path.length; i++) hash = (Math.imul(hash, 31) + path.charCodeAt(i)) | 0
  // `Objects.hash` of one value, then the spreading of `HashMap`.
  const spread = (31 + hash) | 0
  return (spread ^ (spread >>> 16)) & (buckets - 1)
}
