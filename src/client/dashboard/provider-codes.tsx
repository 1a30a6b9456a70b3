/** What the QR Codes tab shows once it is loaded: the offer of alerts above the codes. Customers never fetch it. */
import type { User } from '#shared/accounts.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { QrCodes } from './codes/qr-codes.tsx';
import { AlertOffer } from './live/alert-offer.tsx';

interface ProviderCodesProps {
  readonly user: User;
  readonly codes: readonly QrCode[];
}

export function ProviderCodes({ user, codes }: ProviderCodesProps) {
  return (
    <>
      {codes.length > 0 && <AlertOffer userId={user.id} />}
      <QrCodes user={user} codes={codes} />
    </>
  );
}
