export type Refusal = Error & { code: string };

export const refusal = (code: string): Refusal => Object.assign(new Error(code), { code });

export const isRefusal = (error: unknown): error is Refusal =>
  error instanceof Error && "code" in error && typeof error.code === "string" && error.message === error.code;
