import { AppError } from "../../../domain/errors.ts";
import type { InstanceAccess } from "./access.ts";
import type { EvolutionClient } from "./evolution-client.ts";
import type { Reached } from "./reached.ts";

/** A key that worked is not called refused before so long, where its server cannot be asked otherwise. */
const SAID_MS = 2 * 60_000;
/** Looked at this quickly for so long; a key that is refused for longer was changed. */
const QUICK_MS = 15 * 60_000;
/** Waits between looks, in ms. Sending goes on at most 12.5 s after the server's database is back. */
export const KEY_DOUBT_MS = [1_000, 2_000, 5_000, 10_000] as const;

/** `quick`: look again by `KEY_DOUBT_MS`. */
export type KeyVerdict = { cause: "wrong_key" | "server_errors"; quick: boolean };

/**
 * Tells a key that its server refuses from a server that is ill: Evolution answers 401 to every instance's token while its own database
 * is away. Only a key that worked before is in doubt.
 */
export class KeyDoubt {
  readonly #clientOf: (access: InstanceAccess) => EvolutionClient;
  readonly #now: () => number;
  #worked: string | null = null;
  #since: number | null = null;

  constructor(clientOf: (access: InstanceAccess) => EvolutionClient, now: () => number) {
    this.#clientOf = clientOf;
    this.#now = now;
  }

  /** A call with this key succeeded. */
  worked(key: string): void {
    this.#worked = key;
    this.#since = null;
  }

  /** `linked`: it was connected under the owner before, so the key worked there. */
  isDoubtful(key: string, linked: boolean): boolean {
    return this.#worked === key || (this.#worked === null && linked);
  }

  /** What the refusal of a doubtful key means. Never rejects. */
  async judge(at: Reached): Promise<KeyVerdict> {
    this.#since ??= this.#now();
    const age = this.#now() - this.#since;
    const server = await this.#askServer(at);
    if (server === "ill") return { cause: "server_errors", quick: true };
    if (server === "refuses") return { cause: "wrong_key", quick: false };
    return { cause: age < SAID_MS ? "server_errors" : "wrong_key", quick: age < QUICK_MS };
  }

  /** With the server's own key, which Evolution checks without its database. */
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
    // Its database may have come back in between: the token is asked once more.
    return (await ask(client.connectionState(name))) === "refuses" ? "refuses" : "ill";
  }
}
