/** Whether a text is a version of Claude Code: three numbers. */
export const isVersion = (text: string): boolean => /^\d{1,4}\.\d{1,4}\.\d{1,5}$/.test(text);
