/** PostgreSQL refuses NUL in a text, so that no row of any engine has it. */
export const isStorable = (text: string): boolean => !text.includes('\0');
