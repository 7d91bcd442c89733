import type { ScanProgress } from '../index.js'

const INTERVAL_MS = 100

/** A line on stderr that tells how far a read is; only on a terminal, so that logs and pipes stay clean. */
export class ProgressLine {
  readonly #out: NodeJS.WriteStream
  readonly #tasks: number
  #shown = 0

  constructor(tasks: number, out: NodeJS.WriteStream = process.stderr) {
    this.#tasks = tasks
    this.#out = out
  }

  update(progress: ScanProgress): void {
    this.show(`${progress.tasksDone}/${this.#tasks} tasks, ${progress.rows} rows`)
  }

  /** Shows a text, unless another was shown just now. */
  show(text: string): void {
    const now = performance.now()
    if (!this.#out.isTTY || now - this.#shown < INTERVAL_MS) return
    this.#shown = now
    this.#out.write(`\r\u001b[K${text}`)
  }

  clear(): void {
    if (this.#shown > 0) this.#out.write('\r\u001b[K')
  }
}
