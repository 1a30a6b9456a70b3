/** Limits for an installation that has them switched off: each attempt is made, and nothing is counted. */
import type { Limits } from './limits.ts';

export function createNoLimits(): Limits {
  const allow = async () => {};
  return {
    countTry: allow,
    countPasswordChangeTry: allow,
    limitLogin: (_email, _caller, attempt) => attempt(),
    limitPasswordChange: (_token, attempt) => attempt(),
    limitRegistration: (_caller, attempt) => attempt(),
    limitUsernameChange: (_userId, attempt) => attempt(),
    countPasswordLink: allow,
    countLinkUse: allow,
    limitConfirmationMail: (_account, attempt) => attempt(),
    limitConfirmationBeside: (_email, attempt) => attempt(true),
    limitEmailChange: (_account, attempt) => attempt(true),
    countReceiptMail: allow,
    countTip: allow,
    limitTakeBack: (_giver, attempt) => attempt(),
    countGuest: allow,
    countQrCode: allow,
    countChange: allow,
    countStream: allow,
    countKey: allow,
    limitOperatorLogin: (_email, _caller, attempt) => attempt(),
    limitOperatorCode: (_email, _token, attempt) => attempt(),
    unlockOperator: allow,
    countConsole: allow,
    countWrongKey: allow,
    unlock: async () => false,
    sweep: allow,
  };
}
