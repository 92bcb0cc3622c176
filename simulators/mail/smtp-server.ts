import net, { type Socket } from "node:net";
import { type ReceivedEmail, readEmail } from "./email.ts";

/** `cut` hangs up, `hang` goes silent. */
export type MailError = {
  at: "greeting" | "auth" | "from" | "to" | "data" | "end";
  answer: string;
  recipient?: string;
  times?: number;
};

export type MailServerOptions = {
  login?: { user: string; pass: string };
  /** Some servers repeat the password in the refusal. */
  tellsPassword?: boolean;
};

type Talk = { socket: Socket; from: string; to: string[]; data: string[] | null; loggedIn: boolean };

type Reply = { normal: string; fault?: string | null };

type Step = (talk: Talk, address: string) => Reply;

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const mail = new MailServer(options);
  await mail.listen();
  return mail;
}

/** RFC 5321 with AUTH PLAIN and LOGIN; nothing is delivered. */
export class MailServer {
  /** One whose end met `cut` was accepted but not acknowledged. */
  readonly emails: ReceivedEmail[] = [];
  readonly logins: string[] = [];
  readonly #options: MailServerOptions;
  readonly #sockets = new Set<Socket>();
  readonly #server = net.createServer((socket) => this.#greet(socket));
  #faults: MailError[] = [];
  #port = 0;

  readonly #steps: Readonly<Record<string, Step>> = {
    MAIL: (talk, address) => {
      Object.assign(talk, { from: address, to: [] });
      return { normal: "250 2.1.0 Ok", fault: this.#due("from") };
    },
    RCPT: (talk, address) => {
      const fault = this.#due("to", address);
      if (fault === null) talk.to.push(address);
      return { normal: "250 2.1.5 Ok", fault };
    },
    DATA: (talk) => {
      const fault = this.#due("data");
      if (fault === null) talk.data = [];
      return { normal: "354 Go ahead", fault };
    },
  };

  constructor(options: MailServerOptions) {
    this.#options = options;
  }

  get port(): number {
    return this.#port;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const place = this.#server.address();
    this.#port = typeof place === "object" && place ? place.port : 0;
  }

  fail(fault: MailError): void {
    this.#faults.push({ ...fault });
  }

  recover(): void {
    this.#faults = [];
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #greet(socket: Socket): void {
    const talk: Talk = { socket, from: "", to: [], data: null, loggedIn: false };
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket)).on("error", () => undefined);
    let rest = "";
    socket.setEncoding("latin1").on("data", (chunk) => {
      const lines = `${rest}${String(chunk)}`.split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(talk, line);
    });
    say(talk, { normal: "220 mail.local ESMTP", fault: this.#due("greeting") });
  }

  #take(talk: Talk, line: string): void {
    if (talk.data === null) say(talk, this.#replyTo(talk, line));
    else if (line !== ".") talk.data.push(line.startsWith("..") ? line.slice(1) : line);
    else {
      const fault = this.#due("end", talk.to[0]);
      if (fault === null || fault === "cut")
        this.emails.push(readEmail(talk.from, talk.to, `${talk.data.join("\r\n")}\r\n`));
      talk.data = null;
      say(talk, { normal: "250 2.0.0 Accepted", fault });
    }
  }

  #replyTo(talk: Talk, line: string): Reply {
    const { login } = this.#options;
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === "EHLO") return { normal: login ? "250-mail.local\r\n250 AUTH PLAIN" : "250 mail.local" };
    if (verb === "AUTH") return this.#logIn(talk, line.split(" ")[2] ?? "");
    if (verb === "RSET") return { normal: "250 2.0.0 Ok" };
    if (verb === "QUIT") return { normal: "221 2.0.0 Bye" };
    if (login && !talk.loggedIn) return { normal: "530 5.7.0 Authentication required" };
    const step = this.#steps[verb];
    if (!step) return { normal: "502 5.5.1 Unknown command" };
    return step(talk, /<([^>]*)>/.exec(line)?.[1] ?? "");
  }

  #logIn(talk: Talk, given: string): Reply {
    const { login, tellsPassword } = this.#options;
    const [, user = "", pass = ""] = Buffer.from(given, "base64").toString().split("\0");
    this.logins.push(pass);
    talk.loggedIn = user === login?.user && pass === login?.pass;
    const refusal = `535 5.7.8 Authentication failed${tellsPassword ? ` for ${user} with ${pass}` : ""}`;
    return { normal: talk.loggedIn ? "235 2.7.0 Welcome" : refusal, fault: this.#due("auth") };
  }

  #due(at: MailError["at"], recipient?: string): string | null {
    const fault = this.#faults.find(
      (one) => one.at === at && (one.recipient === undefined || one.recipient === recipient),
    );
    if (!fault) return null;
    if (fault.times !== undefined && --fault.times <= 0)
      this.#faults = this.#faults.filter((one) => one !== fault);
    return fault.answer;
  }
}

function say({ socket }: Talk, { normal, fault = null }: Reply): void {
  if (fault === "cut") socket.destroy();
  else if (fault !== "hang") socket.write(`${fault ?? normal}\r\n`);
}
