/** What lets programs work with the account. Each part is a section of its own. */
import type { User } from '#shared/accounts.ts';
import { ApiKeys } from './api-keys.tsx';
import { Webhooks } from './webhooks.tsx';

export function ApiAccess({ user }: { readonly user: User }) {
  return (
    <>
      <ApiKeys user={user} />
      {/* Customers have no events, because giving is none. */}
      {user.isServiceProvider && <Webhooks />}
    </>
  );
}
