/** A number of JSON text, as it was written: its column's type decides how to read it. */
export class NumberToken {
  constructor(readonly text: string) {}
}
