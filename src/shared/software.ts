/**
 * The software's name, whatever an installation is called: in versions, in the names of files, and in what it
 * says to an operator. It imports nothing, because the settings, which name the installation, are read with it.
 */
export const SOFTWARE = 'Tipwell';
