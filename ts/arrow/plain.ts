/** Sets a property of a row's object; a column may have any name, `__proto__` too. */
export function setOwn(object: object, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  } else {
    ;(object as Record<string, unknown>)[name] = value
  }
}

/** The canonical text of a uuid's 16 bytes. */
export function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
