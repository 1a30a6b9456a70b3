/** The entry of the operator's console. */
import '../ui/later/zod-without-eval.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { readTerms } from '../installation.ts';
import { Boundary } from '../ui/boundary.tsx';
import { Toaster } from '../ui/later/toaster.tsx';
import { Problem } from '../ui/states.tsx';
import { consoleHooks, consoleHooksClient, queryClient } from './console-api.ts';
import { Frame } from './frame.tsx';
import '../ui/tokens.css';
import '../ui/base.css';

readTerms();
const root = document.getElementById('root');
if (!root) throw new Error('no root');
// A later handler keeps this place, ahead of what draws another address (ui/later/unsaved.tsx).
window.onpopstate = () => {};
// Browsers keep pages for Back, also those of a session that has ended meanwhile.
window.addEventListener('pageshow', ({ persisted }) => persisted && window.location.reload());
createRoot(root).render(
  <StrictMode>
    <Boundary fallback={<Failed />}>
      <consoleHooks.Provider client={consoleHooksClient} queryClient={queryClient}>
        <QueryClientProvider client={queryClient}>
          <Frame />
          <Toaster />
        </QueryClientProvider>
      </consoleHooks.Provider>
    </Boundary>
  </StrictMode>,
);

function Failed() {
  return (
    <main>
      <Problem isScreen title="This page could not be shown" onRetry={() => window.location.reload()}>
        <p>Check your connection and try again.</p>
      </Problem>
    </main>
  );
}
