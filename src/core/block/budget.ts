/** No hook value may be larger: Claude Code replaces more than 10,000 characters by a preview. */
export const MAX_INJECTED_CHARS = 9_500;
