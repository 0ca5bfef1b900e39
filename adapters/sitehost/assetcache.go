package sitehost

import (
	"bytes"
	"sync"
)

// assetCache is a cache of assets that previews share, such as the packages of a template.
// Each is compressed once, however many projects show it.
type assetCache struct {
	limit int64

	mu     sync.Mutex
	bytes  int64
	assets map[string]*asset
}

func newCommon(limit int64) *assetCache {
	return &assetCache{limit: limit, assets: map[string]*asset{}}
}

// get returns the asset of a path if its content is the same, and replaces it otherwise.
func (c *assetCache) get(path string, content []byte, make func() *asset) *asset {
	c.mu.Lock()
	known := c.assets[path]
	c.mu.Unlock()
	if known != nil && bytes.Equal(known.content, content) {
		return known
	}
	made := make()
	c.mu.Lock()
	defer c.mu.Unlock()
	if replaced := c.assets[path]; replaced != nil {
		c.bytes -= replaced.size()
	}
	if c.bytes+made.size() > c.limit {
		// Assets in use are held by their previews, and will be found again.
		clear(c.assets)
		c.bytes = 0
	}
	c.assets[path], c.bytes = made, c.bytes+made.size()
	return made
}
