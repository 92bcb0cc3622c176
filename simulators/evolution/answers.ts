export type Answer = { status: number; body: unknown };

const ERROR_NAMES: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  500: "Internal Server Error",
};

type Refused = Error & { answer: Answer };

const refused = (answer: Answer): Refused =>
  Object.assign(new Error(`answered ${answer.status}`), { answer });

export const isRefused = (error: unknown): error is Refused => error instanceof Error && "answer" in error;

export const errorBody = (status: number, message: unknown) => ({
  status,
  error: ERROR_NAMES[status] ?? "Internal Server Error",
  response: { message },
});

/** Recordings 01, 04. */
export const refuse = (status: number, message: unknown): Refused =>
  refused({ status, body: errorBody(status, message) });

/** An array in an array (recordings 01, 04, 05). */
export const invalid = (...problems: string[]): Refused => refuse(400, [problems]);

export const refuseWith = (status: number, body: unknown): Refused => refused({ status, body });

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
