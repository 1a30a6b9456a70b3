/** Every engine keeps the promises of the storage port. */
import { describeStorage } from '#tests/support/storage-contract/storage-contract.ts';

describeStorage();
