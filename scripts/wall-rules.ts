/** Files of `from` may not import what `to` matches. `reason` is printed for a violation. */
export type Wall = { name: string; reason: string; from: RegExp; except?: RegExp; to: RegExp };

const FEATURE =
  "accounts|agents|audit|campaigns|chat|connections|contacts|dashboard|files|gateways|notifications|opt-outs|search|usage";
const TEST = /\.test\.tsx?$/;

/** All that the rest of the server may import of `sending/`, and how many functions it may export. */
export const DOOR = { file: "src/server/sending/sending.ts", most: 15 };

export const START = "src/server/app/main.ts";

/** What the start must not load; use `import()` at first need. */
export const LATER: Pick<Wall, "name" | "reason" | "to"> = {
  name: "light-start",
  reason:
    "Loaded when first needed, with `import()`: each takes 20 to 60 MB of every process at rest, and 0.1 to 1.3 s of its start.",
  to: /^npm:(baileys|sharp|nodemailer|@mistralai\/mistralai|@aws-sdk\/[a-z-]+)$/,
};

/** Packages are written `npm:name`, Node's modules `node:name`, our files by path. */
export const WALLS: Wall[] = [
  {
    name: "domain-alone",
    reason:
      "Rules are pure (hashing is): no clock, no file, nothing of ours beside them, so that the test of a rule is one line.",
    from: /^src\/domain\//,
    except: TEST,
    to: /^(src\/(?!domain\/)|node:(?!crypto$)|npm:(?!libphonenumber-js|temporal-polyfill))/,
  },
  {
    name: "contract-knows-domain-and-zod",
    reason: "What travels is described once, for server and page alike; neither of them may leak into it.",
    from: /^src\/contract\//,
    except: TEST,
    to: /^(src\/(?!contract\/|domain\/)|node:|npm:(?!zod$))/,
  },
  {
    name: "web-knows-the-contract",
    reason: "The page reaches the server through the contract alone.",
    from: /^src\/web\//,
    except: TEST,
    to: /^(src\/server\/|simulators\/|node:)/,
  },
  {
    name: "server-does-not-draw",
    reason: "The server serves the built page; it never runs a part of it.",
    from: /^src\/server\//,
    except: TEST,
    to: /^src\/web\//,
  },
  {
    name: "product-without-simulator",
    reason: "What stands in for WhatsApp must never become a part of the product.",
    from: /^src\//,
    except: TEST,
    to: /^simulators\//,
  },
  {
    name: "simulator-without-product",
    reason: "A simulator that shares the product's code shares its mistakes.",
    from: /^simulators\//,
    except: TEST,
    to: /^src\/(server|web|contract)\//,
  },
  {
    name: "baileys-behind-device",
    reason: "Baileys stays behind one door, so that it can be mended or replaced there.",
    from: /^src\/(?!server\/transports\/device\/)/,
    except: TEST,
    to: /^npm:baileys/,
  },
  {
    name: "mistral-behind-agents",
    reason: "Mistral's SDK throws what holds the key; one file calls it, one folds its errors.",
    from: /^src\/(?!server\/agents\/mistral-sdk\.ts)/,
    except: TEST,
    to: /^npm:@mistralai\//,
  },
  {
    name: "http-out-behind-net",
    reason:
      "Whatever asks outwards goes through the one guarded fetch, or an address of the network inside gets asked.",
    from: /^src\/server\/(?!net\/)/,
    except: TEST,
    to: /^npm:undici/,
  },
  {
    name: "mail-behind-mailer",
    reason: "A mail server's answers may repeat what it was sent; one file calls it and folds what it says.",
    from: /^src\/server\/(?!notifications\/mailer\.ts)/,
    except: TEST,
    to: /^npm:nodemailer/,
  },
  {
    name: "s3-behind-store",
    reason: "The SDK's errors hold the request with its signature; one file calls it and folds what it says.",
    from: /^src\/server\/(?!files\/s3-store\.ts)/,
    except: TEST,
    to: /^npm:@aws-sdk\//,
  },
  {
    name: "driver-behind-db",
    reason: "Connections, column types and time limits of the database are set in one place.",
    from: /^src\/(?!server\/db\/)/,
    to: /^npm:pg(-copy-streams)?$/,
  },
  {
    name: "features-meet-at-services",
    reason: "A feature is known to others by its service.ts alone, types included.",
    from: new RegExp(`^src/server/(?<own>${FEATURE}|sending|backup|metrics)/`),
    except: TEST,
    to: new RegExp(`^src/server/(${FEATURE})/(?!service\\.ts$)`),
  },
  {
    name: "sending-door",
    reason: "What sending can do stands in sending.ts; the rooms behind it are private.",
    from: /^src\/server\/(?!sending\/)/,
    except: TEST,
    to: /^src\/server\/sending\/(?!sending\.ts$)/,
  },
  {
    name: "libraries-know-no-feature",
    reason: "Only `app` and `commands` know every feature.",
    from: /^src\/server\/(http|db|jobs|net|base|postgres)\//,
    except: TEST,
    to: new RegExp(`^src/server/(${FEATURE}|sending|transports)/`),
  },
  {
    name: "pages-apart",
    reason: "What two pages share lies below them: in ui, api, lib or routes.",
    from: /^src\/web\/pages\/(?<own>[a-z-]+)\//,
    except: TEST,
    to: /^src\/web\/pages\//,
  },
  {
    name: "libraries-below-features",
    reason: "A feature imports libraries; only `app` and `commands` import features from above.",
    from: /^src\/server\/(?!(app|commands)\/)/,
    except: TEST,
    to: /^src\/server\/(app|commands)\//,
  },
  {
    name: "product-without-tests",
    reason: "Support of tests never ships.",
    from: /^src\//,
    except: /\.test\.tsx?$/,
    to: /^(tests|bench)\//,
  },
];
