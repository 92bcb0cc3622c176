/** In code points. */
export const TEMPLATE_NAME_MAX = 60;
export const TEMPLATES_PAGE = 100;
