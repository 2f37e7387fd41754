/** Provider and model ids: safe in headers, URLs, SQL parameters and shell words. */
export const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/;
