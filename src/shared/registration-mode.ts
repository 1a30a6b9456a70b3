/** Who may make an account: everybody, whoever has an invitation, or nobody. */
export const REGISTRATION_MODES = ['open', 'invite', 'closed'] as const;

export type RegistrationMode = (typeof REGISTRATION_MODES)[number];
