/** One attempt of a form of the console at a time, with the sentence of its failure. */
import { useState } from 'react';
import { useAttempts } from '../controls/attempts.ts';
import { failureOf } from './console-api.ts';
import { PasskeyFailure } from './passkeys.ts';

export function useAttempt() {
  const { isUnderWay, run } = useAttempts();
  const [failure, setFailure] = useState<string>();
  const attempt = (work: () => Promise<void>) =>
    void run(async () => {
      setFailure(undefined);
      try {
        await work();
      } catch (error) {
        setFailure(error instanceof PasskeyFailure ? error.message : failureOf(error).detail);
      }
    });
  return { isUnderWay, failure, attempt };
}
