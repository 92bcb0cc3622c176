import type { ErrorName } from "./faults.ts";
import type { Instance } from "./instance.ts";

/** A call as the handlers see it, when the door let it in. */
export type PlainRequest = {
  /** The header `apikey`, empty if none. */
  key: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
  /** The fault that will spoil the answer; what is asked is done all the same. */
  fault: ErrorName | null;
};

/** A call for one instance. */
export type Request = PlainRequest & { instance: Instance };
