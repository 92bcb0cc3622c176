import { useState } from "react";
import { errorTextOf } from "../api/api-error.ts";
import { chooseLanguage, LANGUAGES } from "../api/language.ts";
import { commonText } from "../messages/common.ts";
import { LANGUAGE } from "../messages/locale.ts";
import layoutStyles from "../ui/layout.module.css";
import styles from "./auth.module.css";

export function LanguageChoice() {
  const [error, setError] = useState<string | null>(null);
  return (
    <fieldset className={styles.languages}>
      <legend className={layoutStyles.srOnly}>{commonText.language}</legend>
      {LANGUAGES.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          lang={id}
          aria-pressed={id === LANGUAGE}
          onClick={() => {
            if (id === LANGUAGE) return;
            chooseLanguage(id).catch((error: unknown) =>
              setError(errorTextOf(error, commonText.languageFailed)),
            );
          }}
        >
          {name}
        </button>
      ))}
      {error !== null && <p role="alert">{error}</p>}
    </fieldset>
  );
}
