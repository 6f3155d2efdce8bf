/** Of the commands that change a settings file: 0 done, nothing to do, or declined; 1 failed; 2 nobody there to confirm. */
export const EXIT_CODES = `
Exit codes: 0 done (or nothing to do), 1 failed and nothing changed, 2 nobody to ask and no --yes.`;
