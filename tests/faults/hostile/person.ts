import { randomInt } from "node:crypto";
import type { ProductServer } from "../../support/server.ts";

export const PASSWORD = "girassol no quintal";

export const network = (): string => `${randomInt(11, 200)}.${randomInt(256)}.${randomInt(256)}.7`;

export class Caller {
  readonly from: string;
  readonly #product: ProductServer;
  readonly #cookies = new Map<string, string>();

  constructor(product: ProductServer, from = network()) {
    this.#product = product;
    this.from = from;
  }

  headers(): { origin: string; "x-forwarded-for": string; cookie: string } {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return { origin: this.#product.url, "x-forwarded-for": this.from, cookie };
  }

  async ask(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = this.headers();
    const response = await this.#product.fetch(path, {
      ...init,
      method,
      headers: { ...headers, ...init.headers },
    });
    for (const one of response.headers.getSetCookie()) {
      const [pair = ""] = one.split(";");
      const at = pair.indexOf("=");
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.json(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    return (text === "" ? null : JSON.parse(text)) as T;
  }

  json(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    return this.ask(method, path, {
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  }

  signUp(name: string, email: string): Promise<unknown> {
    return this.call("POST", "/api/signup", {
      name,
      email,
      acceptTerms: true,
      timeZone: "America/Sao_Paulo",
      password: PASSWORD,
      confirmPassword: PASSWORD,
    });
  }
}
