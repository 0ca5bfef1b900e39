import{b as t,o as e}from"/assets/chunk-273A6R4I.js";function d(o){t(()=>{document.title=o?`${o} · ${e.shell.product}`:e.shell.product},[o])}export{d as a};
