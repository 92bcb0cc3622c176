import styles from "../../auth/auth.module.css";
import { Said } from "../../auth/said.tsx";
import { accountsText } from "../../messages/accounts.ts";
import fieldStyles from "../../ui/field.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import { TextLink } from "../../ui/text-link.tsx";

const t = accountsText.signup;
const COMMAND = "npm run account -- invite --email nome@empresa.com.br";

export function SignupClosed({ focus }: { focus: boolean }) {
  return (
    <Said title={t.title} lead={t.closed} focus={focus}>
      <p>{t.closedText}</p>
      <p className={fieldStyles.hint} data-ui="hint">
        {t.closedHint}
      </p>
      <code>{COMMAND}</code>
      <ToLogin />
    </Said>
  );
}

export function SignupOver({ open, focus }: { open: boolean; focus: boolean }) {
  return (
    <Said title={t.title} lead={t.over} focus={focus}>
      <p>{t.overText}</p>
      {open && (
        <LinkButton to="/signup" look="primary">
          {t.withoutInvitation}
        </LinkButton>
      )}
      <ToLogin />
    </Said>
  );
}

function ToLogin() {
  return (
    <p className={styles.foot}>
      {t.hasAccount} <TextLink to="/login">{t.toLogin}</TextLink>
    </p>
  );
}
