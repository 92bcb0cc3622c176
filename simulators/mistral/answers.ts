export type ApiAnswer = { status: number; body: unknown };

/** From public reports of Mistral's users. */
export function errorBody(message: string, type: string, code: string) {
  return { object: "error", message, type, param: null, code };
}

export const UNAUTHORIZED: ApiAnswer = { status: 401, body: { detail: "Unauthorized" } };

export const NO_ROUTE: ApiAnswer = { status: 404, body: { detail: "Not Found" } };

/** Format of FastAPI and pydantic. */
export type FieldError = { type: string; loc: (string | number)[]; msg: string; input: unknown };

export const invalid = (errors: FieldError[]): ApiAnswer => ({ status: 422, body: { detail: errors } });
