import { AppError } from "../../../domain/errors.ts";
import type { InstanceAccess } from "./access.ts";
import type { EvolutionClient } from "./evolution-client.ts";
import type { Reached } from "./reached.ts";

/** A key that worked counts as refused only after this time. */
const SAID_MS = 2 * 60_000;
/** Period of quick polls; a key refused for longer was changed. */
const QUICK_MS = 15 * 60_000;
/** In ms; sending resumes at most 12.5 s after the database is back. */
export const KEY_RETRY_MS = [1_000, 2_000, 5_000, 10_000] as const;

export type KeyVerdict = { cause: "wrong_key" | "server_errors"; quick: boolean };

/**
 * Evolution answers 401 to every instance token while its own database is down, so a key that worked before
 * is in doubt.
 */
export class KeyCheck {
  readonly #clientOf: (access: InstanceAccess) => EvolutionClient;
  readonly #now: () => number;
  #worked: string | null = null;
  #since: number | null = null;

  constructor(clientOf: (access: InstanceAccess) => EvolutionClient, now: () => number) {
    this.#clientOf = clientOf;
    this.#now = now;
  }

  worked(key: string): void {
    this.#worked = key;
    this.#since = null;
  }

  /** `linked`: under the previous owner, so the key worked. */
  isDoubtful(key: string, linked: boolean): boolean {
    return this.#worked === key || (this.#worked === null && linked);
  }

  /** Never rejects. */
  async verify(at: Reached): Promise<KeyVerdict> {
    this.#since ??= this.#now();
    const age = this.#now() - this.#since;
    const server = await this.#askServer(at);
    if (server === "ill") return { cause: "server_errors", quick: true };
    if (server === "refuses") return { cause: "wrong_key", quick: false };
    return { cause: age < SAID_MS ? "server_errors" : "wrong_key", quick: age < QUICK_MS };
  }

  /** Evolution checks the server's key without its database. */
  async #askServer({ access, client }: Reached): Promise<"ill" | "refuses" | "unknown"> {
    const { serverKey, name } = access;
    if (!serverKey) return "unknown";
    const ask = (call: Promise<unknown>) =>
      call.then(
        () => "answers" as const,
        (error: unknown) =>
          error instanceof AppError && error.code === "gateway_wrong_key"
            ? ("refuses" as const)
            : ("ill" as const),
      );
    const server = await ask(this.#clientOf({ ...access, apiKey: serverKey }).fetchInstances(name));
    if (server !== "answers") return server;
    // The database may be back: try the token once more.
    return (await ask(client.connectionState(name))) === "refuses" ? "refuses" : "ill";
  }
}
