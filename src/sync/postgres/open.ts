/** A bundle of its own: no command pays for the client but one that speaks to a server. */
export { openPostgres } from "./carrier.ts";
export { invitedBy, joinSpace, makeSpace, spaceOf } from "./members.ts";
