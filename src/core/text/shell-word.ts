/** A path as a shell word: quoted only when it holds anything but letters, digits and `_ . / -`. */
export const shellWord = (path: string): string => (/^[A-Za-z0-9_./-]+$/.test(path) ? path : quoted(path));

/** Any text as one shell word in single quotes. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
