import { z } from "zod";
import { endpoint } from "./endpoint.ts";

/** The languages of the product. */
export const Language = z.enum(["pt-BR", "en"]);
export type Language = z.infer<typeof Language>;

/**
 * An address that was not proved yet: no notice goes there. `change`: it is to take the place of the account's own. `by`: a link was sent to
 * it, or this server cannot send one and its operator confirms.
 */
export const EmailConfirmation = z.object({
  email: z.string(),
  change: z.boolean(),
  by: z.enum(["link", "operator"]),
});
export type EmailConfirmation = z.infer<typeof EmailConfirmation>;

/** What opens an account, or brings what is in it elsewhere, besides its password. Of an address its host. */
export const Access = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("key"), name: z.string(), prefix: z.string() }),
  /** `name`: of the instance whose messages go there. */
  z.object({ kind: z.literal("relay"), name: z.string(), host: z.string() }),
  z.object({ kind: z.literal("gateway"), name: z.string(), host: z.string() }),
  /** `hint`: the last signs of the key. */
  z.object({ kind: z.literal("mistral"), hint: z.string() }),
]);
export type Access = z.infer<typeof Access>;

/** What a new password did: `ended` was revoked, `living` is still there and has to be looked at. */
export const PasswordChanged = z.object({
  endedSessions: z.number(),
  ended: z.array(Access),
  living: z.array(Access),
});
export type PasswordChanged = z.infer<typeof PasswordChanged>;

/** The signed-in person. `timeZone` is an IANA name; `createdAt` an ISO instant in UTC. */
export const Me = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string(),
  /** Null where nothing waits. */
  confirmation: EmailConfirmation.nullable(),
  /** Empty when nobody said. */
  company: z.string(),
  language: Language,
  timeZone: z.string(),
  /** The notice about WhatsApp's rules was read; the first steps were put away. */
  riskRead: z.boolean(),
  stepsHidden: z.boolean(),
  createdAt: z.iso.datetime(),
});
export type Me = z.infer<typeof Me>;

/** What the sign-up form sends. Lengths, e-mail form and the two passwords are judged by the service, which answers field faults. */
export const SignUp = z.strictObject({
  name: z.string(),
  email: z.string(),
  password: z.string(),
  confirmPassword: z.string(),
  acceptTerms: z.boolean(),
  timeZone: z.string().optional(),
  /** What stands behind the `#` of an invitation's link. */
  invitation: z.string().max(200).optional(),
});
export type SignUp = z.infer<typeof SignUp>;

/** What the login form sends. */
export const Login = z.strictObject({ email: z.string(), password: z.string() });
export type Login = z.infer<typeof Login>;

/** Sets a new password by the link of a letter. `token`: what stands behind the link's `#`. */
export const ResetForm = z.strictObject({
  token: z.string().max(200),
  newPassword: z.string(),
  confirmPassword: z.string(),
});
export type ResetForm = z.infer<typeof ResetForm>;

/** Whether a person without an invitation may sign up here now. */
export const SignupPolicy = z.object({ open: z.boolean() });
export type SignupPolicy = z.infer<typeof SignupPolicy>;
const LinkToken = z.strictObject({ token: z.string().max(200) });
/** `change`: it takes the place of another. */
const ConfirmedEmail = z.object({ email: z.string(), change: z.boolean() });

/** The terms of use that a new account accepts. `version` is what is kept with the acceptance; `text` is Markdown. */
export const Terms = z.object({ version: z.string(), text: z.string() });
export type Terms = z.infer<typeof Terms>;

/** Endpoints of accounts and sessions. Login and sign-up set the session cookie; logout removes it. */
export const accounts = {
  signUp: endpoint({
    method: "POST",
    path: "/api/signup",
    summary: "Create an account and open a session",
    access: "public",
    body: SignUp,
    answer: Me,
    status: 201,
    maxBody: 16_384,
  }),
  signupPolicy: endpoint({
    method: "GET",
    path: "/api/signup/policy",
    summary: "Whether an account can be created here without an invitation",
    access: "public",
    answer: SignupPolicy,
  }),
  lookAtInvitation: endpoint({
    method: "POST",
    path: "/api/signup/invitation",
    summary:
      "Say whether an invitation would still create an account, and for which e-mail alone (null: any)",
    access: "public",
    body: z.strictObject({ token: z.string().max(200) }),
    answer: z.object({ email: z.string().nullable() }),
    maxBody: 16_384,
  }),
  login: endpoint({
    method: "POST",
    path: "/api/login",
    summary: "Open a session with e-mail and password",
    access: "public",
    body: Login,
    answer: Me,
    maxBody: 16_384,
  }),
  logout: endpoint({
    method: "POST",
    path: "/api/logout",
    summary: "End the session of the cookie",
    access: "public",
    answer: z.void(),
    status: 204,
  }),
  resetMeans: endpoint({
    method: "GET",
    path: "/api/password-reset",
    summary: "Whether a forgotten password can be set anew by e-mail here",
    access: "public",
    answer: z.object({ byMail: z.boolean() }),
  }),
  askReset: endpoint({
    method: "POST",
    path: "/api/password-reset",
    summary:
      "Send a link that sets a new password, if an account has this e-mail; the answer does not say whether one has",
    access: "public",
    body: z.strictObject({ email: z.string() }),
    answer: z.void(),
    status: 204,
    maxBody: 16_384,
  }),
  lookAtReset: endpoint({
    method: "POST",
    path: "/api/password-reset/link",
    summary: "Say whether a link would still set a new password, and of which account",
    access: "public",
    body: z.strictObject({ token: z.string().max(200) }),
    // Programs that keep passwords must be told whose this one is.
    answer: z.object({ email: z.string() }),
    maxBody: 16_384,
  }),
  useReset: endpoint({
    method: "POST",
    path: "/api/password-reset/password",
    summary:
      "Set a new password by a link; ends every session, API key and address for messages of the account, and names them",
    access: "public",
    body: ResetForm,
    answer: PasswordChanged,
    maxBody: 16_384,
  }),
  confirmAgain: endpoint({
    method: "POST",
    path: "/api/email-confirmation",
    summary: "Send another link to the address that waits for its confirmation",
    access: "user",
    answer: Me,
  }),
  lookAtConfirmation: endpoint({
    method: "POST",
    path: "/api/email-confirmation/link",
    summary: "Say which address a link would confirm",
    access: "public",
    body: LinkToken,
    answer: ConfirmedEmail,
    maxBody: 16_384,
  }),
  confirmEmail: endpoint({
    method: "POST",
    path: "/api/email-confirmation/confirm",
    summary: "Confirm an address by a link that was sent to it",
    access: "public",
    body: LinkToken,
    answer: ConfirmedEmail,
    maxBody: 16_384,
  }),
  me: endpoint({
    method: "GET",
    path: "/api/me",
    summary: "Say who is signed in",
    access: "user",
    answer: Me,
  }),
  terms: endpoint({
    method: "GET",
    path: "/api/terms",
    summary: "Read the terms of use",
    access: "public",
    answer: Terms,
  }),
} as const;
