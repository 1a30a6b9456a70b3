/** Makes an API key or a webhook, whose key or secret comes with the answer and never again. */
import { useState } from 'react';
import { failureOf } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { withPassword } from '../../signed-in/later/password-again.ts';
import { clearToasts } from '../../toasts.ts';
import { useUnsaved } from '../../ui/later/unsaved.tsx';

interface MakingTerms {
  readonly onClose: () => void;
  readonly reload: () => void;
}

/** Asks before somebody leaves what is typed, or an answer that is on its way. @param reload loads the list anew. */
export function useMaking({ onClose, reload }: MakingTerms) {
  const [text, setText] = useState<string | null>(null);
  const [isTyped, setTyped] = useState(false);
  const { isUnderWay, run } = useAttempts();
  const unsaved = useUnsaved(text === null && (isTyped || isUnderWay), onClose);

  /** @param ask calls the server, and answers the key or the secret. @throws its error. */
  const make = (ask: () => Promise<string>) =>
    run(async () => {
      try {
        const made = await withPassword(ask);
        // A refusal of an earlier attempt would stand over the text.
        clearToasts();
        unsaved.finish(() => setText(made));
      } catch (error) {
        // It may be made: nothing is to be discarded.
        if (failureOf(error).status === null) setTyped(false);
        throw error;
      } finally {
        // Without an answer, too, it may have been made.
        reload();
      }
    });

  return { text, make, setTyped, isUnderWay, unsaved, close: () => isUnderWay || unsaved.close() };
}
