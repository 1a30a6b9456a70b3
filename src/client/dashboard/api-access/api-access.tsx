/** What lets programs work with the account. Each part is a section of its own. */
import { ApiKeys } from './api-keys.tsx';

export function ApiAccess() {
  return <ApiKeys />;
}
