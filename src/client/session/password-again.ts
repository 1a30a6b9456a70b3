/** Asks for the password again where an act needs one that was typed a short while ago. The question is fetched when it is first asked. */

/** The question that is open: whoever else needs the password meanwhile waits for the same answer. */
let question: Promise<boolean> | null = null;

/** @returns whether the password was typed, so that the act can go on. It never rejects. */
export function askForPassword(): Promise<boolean> {
  question ??= import('./password-question.tsx')
    .then(({ ask }) => ask())
    .catch(() => false)
    .finally(() => {
      question = null;
    });
  return question;
}
