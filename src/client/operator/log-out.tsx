/** Logging out, also where the operator has not chosen yet how to log in. */
import { useAttempts } from '../controls/attempts.ts';
import { Button } from '../ui/button.tsx';
import { consoleApi, queryClient } from './console-api.ts';
import { endSession, readToken } from './console-session.ts';

const PATIENCE_MS = 2_000;

export function LogOut({ children }: { readonly children: string }) {
  const { isUnderWay, run } = useAttempts();
  return (
    <Button look="quiet" aria-disabled={isUnderWay} onClick={() => void run(leave)}>
      {isUnderWay ? 'One moment...' : children}
    </Button>
  );
}

async function leave(): Promise<void> {
  const token = readToken();
  // The token is forgotten here even when the server cannot be told.
  await consoleApi.session.end
    .mutate(undefined, { signal: AbortSignal.timeout(PATIENCE_MS) })
    .catch(() => {});
  // Another session may have begun in this tab meanwhile.
  if (token !== readToken()) return;
  endSession(false);
  queryClient.clear();
}
