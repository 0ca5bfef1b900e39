import{b as t,o as e}from"/assets/chunk-E5LPI6F7.js";function d(o){t(()=>{document.title=o?`${o} · ${e.shell.product}`:e.shell.product},[o])}export{d as a};
