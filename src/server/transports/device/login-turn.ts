import type { LaneHost } from "../transport.ts";
import type { DeviceDeps } from "./device-deps.ts";
import type { DeviceTiming } from "./timing.ts";

type LoginTurnDeps = { device: DeviceDeps; timing: DeviceTiming; host: Pick<LaneHost, "accountId"> };

/** A device's place in the queue of logins, and then its login. */
export class LoginTurn {
  readonly #deps: LoginTurnDeps;
  #waiting: AbortController | null = null;
  #end = () => {};

  constructor(deps: LoginTurnDeps) {
    this.#deps = deps;
  }

  get isAwaited(): boolean {
    return this.#waiting !== null;
  }

  /**
   * The turn lasts until `logIn` calls `end` (WhatsApp lets us in or shows a code), `leave`, or it blocks the
   * queue too long.
   */
  wait(logIn: (end: () => void) => void, failed: () => void): void {
    const { device, host } = this.#deps;
    const turn = new AbortController();
    this.#waiting = turn;
    const logInNow = () => (this.#waiting === turn ? this.#begin(logIn) : Promise.resolve());
    device.logins.run(host.accountId, logInNow, turn.signal).catch((error: unknown) => {
      if (turn.signal.aborted) return;
      device.log.warn({ err: error }, "no login to WhatsApp");
      this.#waiting = null;
      failed();
    });
  }

  leave(): void {
    this.#waiting?.abort();
    this.#waiting = null;
    this.#end();
  }

  #begin(logIn: (end: () => void) => void): Promise<void> {
    this.#waiting = null;
    const over = Promise.withResolvers<void>();
    const limit = setTimeout(over.resolve, this.#deps.timing.loginTurnMs);
    this.#end = () => {
      clearTimeout(limit);
      over.resolve();
    };
    logIn(this.#end);
    return over.promise;
  }
}
