import net, { type Socket } from "node:net";
import { type ReceivedEmail, readEmail } from "./email.ts";

/** `cut` hangs up, `hang` goes silent. */
export type MailError = {
  at: "greeting" | "auth" | "from" | "to" | "data" | "end";
  answer: string;
  recipient?: string;
  times?: number;
};

export type MailServer = {
  port: number;
  /** One whose end met `cut` was accepted but not acknowledged. */
  letters: ReceivedEmail[];
  logins: string[];
  fail(fault: MailError): void;
  recover(): void;
  close(): Promise<void>;
};

export type MailServerOptions = {
  login?: { user: string; pass: string };
  /** Some servers repeat the password in the refusal. */
  tellsPassword?: boolean;
};

type Talk = { socket: Socket; from: string; to: string[]; data: string[] | null; loggedIn: boolean };

type Reply = { normal: string; fault?: string | null };

/** RFC 5321 with AUTH PLAIN and LOGIN; nothing is delivered. */
export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const letters: ReceivedEmail[] = [];
  const logins: string[] = [];
  const sockets = new Set<Socket>();
  let faults: MailError[] = [];

  function due(at: MailError["at"], recipient?: string): string | null {
    const fault = faults.find(
      (one) => one.at === at && (one.recipient === undefined || one.recipient === recipient),
    );
    if (!fault) return null;
    if (fault.times !== undefined && --fault.times <= 0) faults = faults.filter((one) => one !== fault);
    return fault.answer;
  }

  function say({ socket }: Talk, { normal, fault = null }: Reply): void {
    if (fault === "cut") socket.destroy();
    else if (fault !== "hang") socket.write(`${fault ?? normal}\r\n`);
  }

  function login(talk: Talk, given: string): Reply {
    const [, user = "", pass = ""] = Buffer.from(given, "base64").toString().split("\0");
    logins.push(pass);
    talk.loggedIn = user === options.login?.user && pass === options.login?.pass;
    const refusal = `535 5.7.8 Authentication failed${options.tellsPassword ? ` for ${user} with ${pass}` : ""}`;
    return { normal: talk.loggedIn ? "235 2.7.0 Welcome" : refusal, fault: due("auth") };
  }

  const steps: Readonly<Record<string, (talk: Talk, line: string, address: string) => Reply>> = {
    MAIL(talk, _line, address) {
      Object.assign(talk, { from: address, to: [] });
      return { normal: "250 2.1.0 Ok", fault: due("from") };
    },
    RCPT(talk, _line, address) {
      const fault = due("to", address);
      if (fault === null) talk.to.push(address);
      return { normal: "250 2.1.5 Ok", fault };
    },
    DATA(talk) {
      const fault = due("data");
      if (fault === null) talk.data = [];
      return { normal: "354 Go ahead", fault };
    },
  };

  function replyTo(talk: Talk, line: string): Reply {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === "EHLO")
      return { normal: options.login ? "250-mail.local\r\n250 AUTH PLAIN" : "250 mail.local" };
    if (verb === "AUTH") return login(talk, line.split(" ")[2] ?? "");
    if (verb === "RSET") return { normal: "250 2.0.0 Ok" };
    if (verb === "QUIT") return { normal: "221 2.0.0 Bye" };
    if (options.login && !talk.loggedIn) return { normal: "530 5.7.0 Authentication required" };
    const step = steps[verb];
    return step
      ? step(talk, line, /<([^>]*)>/.exec(line)?.[1] ?? "")
      : { normal: "502 5.5.1 Unknown command" };
  }

  function take(talk: Talk, line: string): void {
    if (talk.data === null) say(talk, replyTo(talk, line));
    else if (line !== ".") talk.data.push(line.startsWith("..") ? line.slice(1) : line);
    else {
      const fault = due("end", talk.to[0]);
      if (fault === null || fault === "cut")
        letters.push(readEmail(talk.from, talk.to, `${talk.data.join("\r\n")}\r\n`));
      talk.data = null;
      say(talk, { normal: "250 2.0.0 AcquiredConnection", fault });
    }
  }

  const server = net.createServer((socket) => {
    const talk: Talk = { socket, from: "", to: [], data: null, loggedIn: false };
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
    let rest = "";
    socket.setEncoding("latin1").on("data", (chunk) => {
      const lines = `${rest}${String(chunk)}`.split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) take(talk, line);
    });
    say(talk, { normal: "220 mail.local ESMTP", fault: due("greeting") });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const place = server.address();

  return {
    port: typeof place === "object" && place ? place.port : 0,
    letters,
    logins,
    fail: (fault) => void faults.push({ ...fault }),
    recover: () => {
      faults = [];
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
