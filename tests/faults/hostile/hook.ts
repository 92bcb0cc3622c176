import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { Agent, request } from "undici";
import type { Evolution } from "../../../simulators/evolution/evolution.ts";

export class Hook {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #instance: string;
  readonly #agent = new Agent({ connections: 32 });

  constructor(gateway: Evolution, instance: string) {
    const last = gateway.world.webhooks.findLast((one) => one.instance === instance);
    if (!last) throw new Error(`the gateway posted nothing of ${instance}`);
    this.#url = last.url;
    this.#headers = last.headers;
    this.#instance = instance;
  }

  async message(phone: string, text: string): Promise<number> {
    const { statusCode, body } = await request(this.#url, {
      method: "POST",
      headers: this.#headers,
      dispatcher: this.#agent,
      body: JSON.stringify(this.#event(phone, text)),
    });
    await body.dump();
    return statusCode;
  }

  park(bytes: number, signal: AbortSignal): Promise<void> {
    async function* dribble() {
      yield Buffer.alloc(bytes - 40, 0x20);
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    }
    const headers = { ...this.#headers, "content-length": String(bytes) };
    return request(this.#url, {
      method: "POST",
      headers,
      body: Readable.from(dribble()),
      signal,
      dispatcher: this.#agent,
      bodyTimeout: 0,
      headersTimeout: 0,
    }).then(
      async ({ body }) => body.dump(),
      () => undefined,
    );
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  #event(phone: string, text: string) {
    const now = new Date();
    return {
      event: "messages.upsert",
      instance: this.#instance,
      date_time: now.toISOString(),
      data: {
        key: { remoteJid: `${phone}@s.whatsapp.net`, fromMe: false, id: `3A${randomUUID().slice(0, 18)}` },
        pushName: "Pessoa",
        message: { conversation: text },
        messageType: "conversation",
        messageTimestamp: Math.floor(now.getTime() / 1_000),
        source: "android",
      },
    };
  }
}
