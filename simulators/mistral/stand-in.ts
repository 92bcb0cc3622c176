import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerRequest } from "./api.ts";
import { type Answering, type AskedCompletion, echo } from "./completions.ts";
import { type MistralError, misbehave } from "./faults.ts";
import { type MistralRequest, readRequest } from "./requests.ts";
import { openWorkspaces, type StoredAgent } from "./workspaces.ts";

export type MistralOptions = {
  port?: number;
  /** Default: `mistral-key-1` and `mistral-key-2`. */
  keys?: readonly string[];
  now?: () => Date;
  random?: () => number;
};

export type MistralStandIn = {
  url: string;
  host: string;
  keys: readonly string[];
  answers(answer: Answering): void;
  requests(): readonly MistralRequest[];
  completions(): readonly AskedCompletion[];
  agents(key: string): readonly StoredAgent[];
  /** Default: all requests. */
  fail(fault: MistralError, limit?: { times?: number; path?: string }): void;
  heal(): void;
  reset(): void;
  stop(): Promise<void>;
};

const KEYS = ["mistral-key-1", "mistral-key-2"];

/** SDK 2.7, https://docs.mistral.ai/api. Scripted: the same question gets the same answer. */
export async function startMistral(options: MistralOptions = {}): Promise<MistralStandIn> {
  const { port = 0, keys = KEYS, now = () => new Date(), random = Math.random } = options;
  const workspaces = openWorkspaces({ now, random });
  const state = { answering: echo as Answering, faults: [] as ActiveFault[] };
  const requests: MistralRequest[] = [];
  const completions: AskedCompletion[] = [];

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming, now());
    requests.push(request);
    response.once("finish", () => {
      request.status = response.statusCode;
    });
    const fault = takeFault(state.faults, request.path);
    if (fault && !(await misbehave(fault, response))) return;
    const agents = request.key !== null && keys.includes(request.key) ? workspaces.of(request.key) : null;
    const { answering } = state;
    const { status, body } = await answerRequest(request, { agents, answering, completions, now, random });
    response.writeHead(status, status === 204 ? {} : { "content-type": "application/json" });
    response.end(status === 204 ? undefined : JSON.stringify(body));
  }

  const server = http.createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy());
  });
  const host = await listenOn(server, port);

  return {
    url: `http://${host}`,
    host,
    keys,
    answers: (answer) => {
      state.answering = answer;
    },
    requests: () => requests,
    completions: () => completions,
    agents: (key) => workspaces.of(key).list(),
    fail: (fault, { times = Number.POSITIVE_INFINITY, path = "/" } = {}) => {
      state.faults.push({ fault, left: times, path });
    },
    heal: () => {
      state.faults.length = 0;
    },
    reset: () => {
      state.faults.length = 0;
      state.answering = echo;
      requests.length = 0;
      completions.length = 0;
      workspaces.clear();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listenOn(server: http.Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type ActiveFault = { fault: MistralError; left: number; path: string };

function takeFault(faults: ActiveFault[], path: string): MistralError | null {
  const active = faults.find((one) => one.left > 0 && path.startsWith(one.path));
  if (!active) return null;
  active.left -= 1;
  return active.fault;
}
