import type { Change } from "../../../src/contract/events.ts";

export class FakeStreams {
  readonly source: typeof EventSource;
  begun = 0;
  readonly #open = new Set<FakeSource>();
  #up = true;
  #opened = Promise.withResolvers<void>();

  constructor() {
    const begin = (source: FakeSource) => this.#begin(source);
    const ended = (source: FakeSource) => this.#ended(source);
    class Source extends FakeSource {
      constructor() {
        super(ended);
        begin(this);
      }
    }
    this.source = Source as unknown as typeof EventSource;
  }

  async send(change: Change): Promise<void> {
    await this.#opened.promise;
    for (const source of this.#open)
      source.dispatchEvent(new MessageEvent("change", { data: JSON.stringify(change) }));
  }

  lose(): void {
    this.#up = false;
    for (const source of this.#open) source.state(EventSource.CONNECTING);
  }

  /** A browser does not try again by itself after it. */
  refuse(): void {
    for (const source of this.#open) source.state(EventSource.CLOSED);
  }

  beat(): void {
    for (const source of this.#open) source.dispatchEvent(new Event("beat"));
  }

  mute(): void {
    this.#up = false;
  }

  restore(): void {
    this.#up = true;
    for (const source of this.#open) source.state(EventSource.OPEN);
  }

  close(): void {
    for (const source of this.#open) source.close();
  }

  #begin(source: FakeSource): void {
    this.begun++;
    this.#open.add(source);
    queueMicrotask(() => {
      if (!this.#open.has(source)) return;
      source.state(this.#up ? EventSource.OPEN : EventSource.CONNECTING);
      this.#opened.resolve();
    });
  }

  #ended(source: FakeSource): void {
    this.#open.delete(source);
    if (this.#open.size === 0) this.#opened = Promise.withResolvers<void>();
  }
}

class FakeSource extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  readyState: number = FakeSource.CONNECTING;
  onopen: ((event: Event) => void) | null = null;
  onerror: ((event: Event) => void) | null = null;
  onmessage: ((event: MessageEvent) => void) | null = null;
  readonly #ended: (source: FakeSource) => void;

  constructor(ended: (source: FakeSource) => void) {
    super();
    this.#ended = ended;
  }

  state(next: number): void {
    this.readyState = next;
    if (next === FakeSource.OPEN) this.onopen?.(new Event("open"));
    else this.onerror?.(new Event("error"));
  }

  close(): void {
    this.readyState = FakeSource.CLOSED;
    this.#ended(this);
  }
}
