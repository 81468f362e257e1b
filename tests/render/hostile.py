"""Texts that try to become markup, to hide, or to turn the direction of writing."""

from __future__ import annotations

HOSTILE = [
    "</script><script>alert(1)</script>",
    "</style><style>*{display:none}</style>",
    "<img src=x onerror=alert(1)>",
    '"\' onmouseover="alert(1)" x=\'',
    "<!-- <![CDATA[ ]]> -->",
    "</td></table></bdi></option></select></title><h1>",
    "${script} $policy $$ {0} %s",
    "&lt;b&gt; &amp;amp; &#0; &nosuch;",
    "a\x00b\x07c\rd\x1be\x7ff\x85g",
    "\u202eright to left\u202c \u2066isolated\u2069 \u200b\ufeff\u2028\u2029",
    "شركة النور — חשבונית",
    "👩‍👩‍👧‍👦 e\u0301 🇩🇪 👍🏽",
    "lone \ud83d surrogate \udc00",
    "\ufffe\uffff\U0010ffff",
    " two  spaces \n\n lines \t tab ",
    "x" * 5000,
    "word " * 1000,
]
