import type { Language } from "../../contract/accounts.ts";
import type { EndpointSpec } from "../../contract/endpoint.ts";
import { type Asset, makeAsset } from "./asset.ts";
import { docsPage } from "./docs-page.ts";
import { openApiDocument } from "./openapi.ts";

type About = { version: string; sessionCookie: string };

/**
 * The OpenAPI document and its page, made once a language at the first request. Made for each request they took 80 to 200 ms of the event
 * loop, so that anybody without an account could stop the sending.
 */
export class ApiDescription {
  readonly #endpoints: readonly EndpointSpec[];
  readonly #about: About;
  readonly #documents = new Map<Language, Asset>();
  readonly #pages = new Map<Language, Asset>();

  /** `endpoints` may still grow until the first request. */
  constructor(endpoints: readonly EndpointSpec[], about: About) {
    this.#endpoints = endpoints;
    this.#about = about;
  }

  document(language: Language): Asset {
    const known = this.#documents.get(language);
    if (known) return known;
    const made = makeAsset(
      Buffer.from(JSON.stringify(this.#describe(language))),
      "application/json",
      "no-store",
    );
    this.#documents.set(language, made);
    return made;
  }

  page(language: Language): Asset {
    const known = this.#pages.get(language);
    if (known) return known;
    const html = docsPage(this.#describe(language), language);
    const made = makeAsset(Buffer.from(html), "text/html; charset=utf-8", "no-store");
    this.#pages.set(language, made);
    return made;
  }

  #describe(language: Language) {
    return openApiDocument(this.#endpoints, { ...this.#about, language });
  }
}
