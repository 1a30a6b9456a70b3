/** The software's name, whatever an installation is called. Imports nothing, because the settings are read with it. */
export const SOFTWARE = 'Tipwell';
