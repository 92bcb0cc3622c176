import type { ErrorName } from "./faults.ts";
import type { Instance } from "./instance.ts";

export type PlainRequest = {
  key: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
  fault: ErrorName | null;
};

export type Request = PlainRequest & { instance: Instance };
