import type http from "node:http";
import { type Answer, errorBody } from "./answers.ts";
import type { ErrorName, Fault } from "./faults.ts";

const HUGE = 10 * 1024 * 1024;
const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };
const HTML_TYPE = { "content-type": "text/html" };

const BAD_GATEWAY =
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n" +
  "<hr><center>nginx/1.24.0</center>\r\n</body>\r\n</html>\r\n";
const OTHER_PAGE = "<!doctype html><html><head><title>Bem-vindo</title></head><body>Painel</body></html>";

type Breaker = (
  response: http.ServerResponse,
  answer: Answer,
  fault: Fault,
  socket: http.IncomingMessage["socket"],
) => void;

const reset: Breaker = (_response, _answer, _fault, socket) => socket.resetAndDestroy();
const hang: Breaker = () => {};
const badGateway: Breaker = (response) => response.writeHead(502, HTML_TYPE).end(BAD_GATEWAY);
const page: Breaker = (response) => response.writeHead(200, HTML_TYPE).end(OTHER_PAGE);
const json = (response: http.ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));
const ownError: Breaker = (response) =>
  json(response, 500, errorBody(500, "Timed out fetching a new connection"));

function half(answer: Answer): { whole: Buffer; first: Buffer } {
  const whole = Buffer.from(JSON.stringify(answer.body));
  return { whole, first: whole.subarray(0, whole.length >> 1) };
}

function withoutId({ status, body }: Answer): Answer {
  const { key, id: _id, ...rest } = body as { key?: { id?: string }; id?: string };
  const { id: _keyId, ...keyRest } = key ?? {};
  return { status, body: { ...(key && { key: keyRest }), ...rest } };
}

const BREAKERS: Record<ErrorName, Breaker> = {
  resetBefore: reset,
  acceptThenReset: reset,
  hangBefore: hang,
  acceptThenHang: hang,
  badGatewayBefore: badGateway,
  acceptThenBadGateway: badGateway,
  errorBefore: ownError,
  acceptThenError: ownError,
  htmlPage: page,
  acceptThenHtmlPage: page,
  halfJson: (response, answer) => response.writeHead(answer.status, JSON_TYPE).end(half(answer).first),
  cutBody(response, answer, _fault, socket) {
    const { whole, first } = half(answer);
    response.writeHead(answer.status, { ...JSON_TYPE, "content-length": whole.length });
    response.write(first, () => socket.resetAndDestroy());
  },
  withoutId(response, answer) {
    const { status, body } = withoutId(answer);
    json(response, status, body);
  },
  tooMany: (response, _answer, { retryAfterSeconds = 1 }) =>
    json(response, 429, errorBody(429, "Too Many Requests"), { "retry-after": String(retryAfterSeconds) }),
  connectionClosed: (response) => json(response, 400, errorBody(400, ["Error: Connection Closed"])),
  halfDone: (response) => json(response, 400, errorBody(400, ["[object Object]"])),
  uploadFailed: (response) =>
    json(response, 500, errorBody(500, ["Error: Media upload failed on all hosts"])),
  slow: (response, { status, body }) => json(response, status, body),
  hugeBody: (response, { status, body }) =>
    json(response, status, { ...(body as object), padding: "x".repeat(HUGE) }),
};

/** `answer`: the correct one; null if the call was not run. */
export function breakAnswer(
  fault: Fault,
  answer: Answer | null,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): void {
  if (response.destroyed) return;
  BREAKERS[fault.name](response, answer ?? { status: 200, body: {} }, fault, request.socket);
}
