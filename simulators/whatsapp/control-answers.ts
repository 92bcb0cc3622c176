import type { z } from "zod";
import type { CallName, Calls } from "./control-requests.ts";
import type { Faults } from "./faults.ts";
import type { AboutNote } from "./ledger.ts";
import type { SimulatorAddress } from "./simulator.ts";

export type ImageView = {
  mimetype: string;
  bytes: number;
  /** SHA-256 hex; null if the phone could not decrypt it. */
  sha256: string | null;
  width: number | null;
  height: number | null;
};

export type FileView = Pick<ImageView, "mimetype" | "bytes" | "sha256"> & {
  kind: "image" | "video" | "audio" | "document";
  voice: boolean;
  fileName: string | null;
  seconds: number | null;
};

export type MessageView = {
  id: string;
  from: string;
  to: string;
  text: string | null;
  image: ImageView | null;
  /** Of every kind, pictures too. */
  file: FileView | null;
  about: AboutNote | null;
  shown: boolean;
  frames: number;
  accepted: number;
  collapsed: boolean;
  refusedWith: number | null;
  undecryptable: number;
  firstAt: string;
  lastAt: string;
};

export type AccountView = {
  phone: string;
  lid: string;
  devices: { id: number; online: boolean; waiting: number; preKeys: number }[];
};

export type Stats = {
  frames: number;
  accepted: number;
  refused: number;
  repeated: number;
  shown: number;
  undecryptable: number;
  acksDropped: number;
  acksDelayed: number;
  lost: number;
  messages: number;
  people: number;
  sessions: number;
  sockets: number;
  uploads: number;
  problems: string[];
  memoryBytes: number;
  cpuMs: number;
};

type Nothing = Record<never, never>;

export type Answers = {
  info: SimulatorAddress;
  scan: { device: number };
  typeCode: { device: number };
  removeDevice: Nothing;
  accounts: { accounts: AccountView[] };
  people: Nothing;
  write: { id: string };
  removeFile: Nothing;
  edit: { id: string };
  typeOnPhone: { id: string };
  createGroup: { id: string };
  writeToGroup: { id: string };
  receipts: Nothing;
  readOnPhone: Nothing;
  faults: Faults;
  timelock: Nothing;
  quota: Nothing;
  cut: { sockets: number };
  silence: { sockets: number };
  endStream: { sockets: number };
  clock: { now: number; ran: number };
  messages: { total: number; messages: MessageView[] };
  image: { base64: string; mimetype: string; sha256: string };
  stats: Stats;
  reset: Nothing;
  shutdown: Nothing;
};

export type Control = {
  [Name in CallName]: (request: z.input<Calls[Name]>) => Promise<Answers[Name]>;
};

export type ControlHandlers = {
  [Name in CallName]: (request: z.output<Calls[Name]>) => Promise<Answers[Name]> | Answers[Name];
};
